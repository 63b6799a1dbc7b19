from contender import serve
from torch.nn.functional import scaled_dot_product_attention
from torch_bias.layer import distances, job_of

PLACES = distances(512)


def attention(q, k, v, bias):
    heads_first = [x.transpose(1, 2) for x in (q, k, v)]
    return scaled_dot_product_attention(*heads_first, attn_mask=bias[:, PLACES][None]).transpose(1, 2)


serve(job_of(attention))
