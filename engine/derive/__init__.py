"""What is derived from what is stored: declared once in `catalogue`, made by one loop, asked about in one question."""
