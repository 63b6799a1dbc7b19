from contender import serve
from rotate.rotation import job, rotate

serve(lambda: job(rotate))
