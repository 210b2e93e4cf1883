/* wine 8 lacks bcryptprimitives.dll. Every Go program calls the function below from it when the program starts. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, (ULONG)size); }
