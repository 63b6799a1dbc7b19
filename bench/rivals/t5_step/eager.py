from contender import serve
from t5_step.step import job_of

serve(job_of(lambda model: model.set_attn_implementation("eager")))
