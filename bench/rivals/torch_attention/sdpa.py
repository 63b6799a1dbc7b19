from contender import serve
from torch.nn.functional import scaled_dot_product_attention
from torch_attention.layer import job_of

serve(job_of(lambda *qkv: scaled_dot_product_attention(*[x.transpose(1, 2) for x in qkv]).transpose(1, 2)))
