from contender import serve
from huggingface import encoder

serve(encoder())
