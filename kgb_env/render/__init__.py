"""Pictures of games: drawn as SVG from a view, turned into pixels or shown in a window on demand."""
