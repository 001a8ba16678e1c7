"""Persons at the table: sessions, the terminal, the page and its server."""
