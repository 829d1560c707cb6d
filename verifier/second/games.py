"""The games by name (chapter 60); others are unknown to this verifier, and their tables cannot be checked."""
from draw import FiveCardDraw
from peter import Draw, SchwarzerPeter
from skat import Skat
from tarokk import Tarokk

GAMES = {"schwarzer-peter/v1": SchwarzerPeter, "draw/v1": Draw, "tarokk/v1": Tarokk, "skat/v1": Skat,
         "five-card-draw/v1": FiveCardDraw}
