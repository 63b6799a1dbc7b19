import sentencepiece
from contender import THREADS, folder, serve
from corpus import Ids, lines

processor = sentencepiece.SentencePieceProcessor(model_file=folder() + "/vocabulary/m.model")
texts = lines(folder())
serve(lambda: Ids(processor.encode(texts, out_type=int, num_threads=THREADS)))
