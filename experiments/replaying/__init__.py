"""Games that were written down: saved from matches, checked, and shown as text, pages and films."""
