"""The camp: the board on which both Project KGB games are played, from text maps.  (Rulings K1 to K10)"""
