package cli

import (
	"errors"
	"io"
	"os"
)

// console is the console of this process, for input and output.
type console struct {
	io.Reader
	io.Writer
	close func() error
}

func (c console) Close() error { return c.close() }

// openTerminal opens the console of this process. It fails if there is none.
func openTerminal() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return console{in, out, func() error { return errors.Join(in.Close(), out.Close()) }}, nil
}
