"""GPT-2 124M with random weights, for training and generation."""

from arrays import random_model

VOCABULARY = 50257
# Weights of the matrix products, including the head.
MULTIPLIED = 12 * 12 * 768 * 768 + VOCABULARY * 768


def make():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, bos_token_id=None, eos_token_id=None))


def write_model(folder):
    random_model(folder, make)
