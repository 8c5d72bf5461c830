"""The commands of `statusguard`, one module each: its arguments, what it does, its exit code."""
