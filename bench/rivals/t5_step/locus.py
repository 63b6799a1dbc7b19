from contender import serve
from t5_step.step import job_of

import locus.transformers

serve(job_of(locus.transformers.patch))
