// Package debugrelay is a client of debug-relay, a service that gives programs a debugger.
//
// Connect finds the server by itself. Debug starts a program and answers with its first stop:
// stack, source, variables and output, all in one answer. Every call that moves the program
// answers so. Streams go on by themselves after a broken connection, and miss nothing.
//
// Options are typed by the calls that take them: what does not fit does not compile.
//
// What this package leaves out is one step away: every result has its Message, and Relay.Conn
// serves the generated clients of package debugrelaypb.
package debugrelay
