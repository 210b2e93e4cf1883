package paths

const nonblocking = 0
