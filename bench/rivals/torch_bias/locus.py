from contender import serve
from torch_bias.layer import job_of

from locus.torch import Terms, attention

serve(job_of(lambda q, k, v, bias: attention(q, k, v, terms=Terms(by_distance=bias))))
