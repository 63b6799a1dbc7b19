import numpy
from bert.encoder import ids
from contender import THREADS, folder, serve
from exports import onnx_session

hidden_states = onnx_session(folder(), THREADS)
serve(lambda: hidden_states(ids.numpy(), numpy.ones_like(ids.numpy())))
