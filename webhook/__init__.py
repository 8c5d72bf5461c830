"""The program: command line, admission server, and what they need of the outside world."""
