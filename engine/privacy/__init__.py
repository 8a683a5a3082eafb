"""What is not to be kept: personal data that is replaced before anything is written."""
