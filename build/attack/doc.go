// Package attack tries to leave the sandbox. A hub runs the test binary as a server at each level, and the server tries
// one attack after the other: it reads a planted key, changes foreign files, makes system calls that reach other
// processes, and connects to listeners. Each attack has to succeed without a sandbox, which shows that it is one.
//
// Some attacks have variations, such as the variables with which programs load code. Each runs a script that leaves the key
// where it can. Packages that npx and uvx install from registries on loopback make the attacks of a second table. They are
// made on the first system only, unless the flag -everywhere is set.
//
// The suite runs on several systems: with bubblewrap and Landlock, and without one or both of them, which a filter of
// system calls takes away. The tables of the guide page attacks.md are the expected results; -update writes them.
package attack
