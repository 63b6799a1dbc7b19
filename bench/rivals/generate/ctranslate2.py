import ctranslate2
import numpy
from contender import THREADS, folder, inputs, serve
from exports import ctranslate2_folder

model = ctranslate2.Generator(ctranslate2_folder(folder()), device="cpu", compute_type="float32", intra_threads=THREADS)
prompt = [f"t{i}" for i in inputs()["ids"].tolist()]


def job():
    out = model.generate_batch([prompt], max_length=128, min_length=128, sampling_topk=1, include_prompt_in_result=False)
    return numpy.array(out[0].sequences_ids[0], dtype=numpy.int32)


serve(job)
