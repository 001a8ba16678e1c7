"""Write all golden playthroughs anew."""

from tests.playthroughs import main

main()
