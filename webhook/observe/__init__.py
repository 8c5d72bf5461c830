"""What happens after the answer is sent: metrics and log lines."""
