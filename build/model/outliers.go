package main

// exact are the columns of each matrix that remain floats. Their inputs are by far the largest in any text;
// reference.py determines them. Rounding these few columns would cause more error than rounding all others.
var exact = [4 * layers][4]int{
	{63, 99, 303, 338},     // layer 0: attention.self.value
	{80, 129, 190, 311},    // layer 0: attention.output.dense
	{63, 99, 267, 303},     // layer 0: intermediate.dense
	{546, 691, 856, 1120},  // layer 0: output.dense
	{63, 99, 157, 267},     // layer 1: attention.self.value
	{267, 272, 280, 286},   // layer 1: attention.output.dense
	{63, 99, 223, 267},     // layer 1: intermediate.dense
	{449, 607, 869, 1004},  // layer 1: output.dense
	{63, 99, 157, 223},     // layer 2: attention.self.value
	{8, 53, 256, 373},      // layer 2: attention.output.dense
	{63, 99, 157, 223},     // layer 2: intermediate.dense
	{13, 218, 994, 1004},   // layer 2: output.dense
	{63, 99, 157, 223},     // layer 3: attention.self.value
	{38, 42, 300, 314},     // layer 3: attention.output.dense
	{63, 99, 157, 223},     // layer 3: intermediate.dense
	{358, 690, 1258, 1459}, // layer 3: output.dense
	{99, 157, 223, 338},    // layer 4: attention.self.value
	{28, 120, 126, 353},    // layer 4: attention.output.dense
	{63, 99, 127, 223},     // layer 4: intermediate.dense
	{192, 835, 1257, 1321}, // layer 4: output.dense
	{99, 157, 223, 338},    // layer 5: attention.self.value
	{127, 176, 258, 356},   // layer 5: attention.output.dense
	{99, 127, 223, 319},    // layer 5: intermediate.dense
	{66, 784, 1052, 1300},  // layer 5: output.dense
}
