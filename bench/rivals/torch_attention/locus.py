from contender import serve
from torch_attention.layer import job_of

from locus.torch import attention

serve(job_of(attention))
