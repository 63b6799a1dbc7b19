#!/usr/bin/env python3
"""Golden folders of models applied to text: tests/golden/apply/<job>/

For every job: a tiny transformers model with random weights, a tokenizer.json, and expected.json with the results of transformers for a few
texts. The results come from a pipeline of transformers if there is one. Answers are computed as in the question-answering pipeline of
transformers 4, which is reimplemented below because later versions removed it. Translations come from generate().

Needs: pip install torch transformers tokenizers. Use: tools/golden/apply.py [FOLDER [JOB..]]
"""
import copy
import json
import pathlib
import shutil
import sys

import tokenizers
import torch
import transformers as hf
from family_folder import randomise
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

WORDS = "the dog cat ball chased sat ran ada london lives in who is it . , ? ! ##ing ##ed".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BART = dict(d_model=12, encoder_layers=1, decoder_layers=1, encoder_attention_heads=3, decoder_attention_heads=3, encoder_ffn_dim=20,
            decoder_ffn_dim=16, max_position_embeddings=40, pad_token_id=0, bos_token_id=2, eos_token_id=3, decoder_start_token_id=3)
SENTENCES = ["The dog chased the ball.", "It ran!", "Ada Lovelace lives in London.", "", "who is it? the CAT sat, é 狗 dogs ran.",
             "the ball, the ball, the ball"]

PROMPTS = dict(query="find the: ", document="")


def wordpiece():
    vocabulary = SPECIAL + WORDS + list(LETTERS) + ["##" + c for c in LETTERS]
    tokenizer = tokenizers.Tokenizer(models.WordPiece({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = decoders.WordPiece()
    return hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
                                      mask_token="[MASK]", model_input_names=["input_ids", "token_type_ids", "attention_mask"])


def bytelevel():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("d", "o"), ("do", "g"), ("Ġ", "dog"), ("Ġ", "b")]
    vocabulary = ["<|endoftext|>"] + alphabet + [a + b for a, b in merges]
    tokenizer = tokenizers.Tokenizer(models.BPE({w: i for i, w in enumerate(vocabulary)}, merges))
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    return hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|endoftext|>", bos_token="<|endoftext|>")


def bert(kind, **settings):
    size = dict(vocab_size=len(wordpiece()), hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20)
    return randomise(kind(hf.BertConfig(**size, max_position_embeddings=40, **settings)))


def labelled(kind, names):
    return bert(kind, num_labels=len(names), id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)})


def embed():
    model, tokenizer = bert(hf.BertModel), wordpiece()
    cases = []
    for text in SENTENCES:
        hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        cases.append(dict(text=text, mean=hidden.mean(0).tolist(), first=hidden[0].tolist(), last=hidden[-1].tolist(),
                          mean_normalized=torch.nn.functional.normalize(hidden.mean(0), dim=0).tolist()))
    return model, tokenizer, cases


def embed_last():
    """A decoder whose last hidden state is the embedding of a text, as in Qwen3-Embedding."""
    tokenizer = bytelevel()
    end = ("<|endoftext|>", 0)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single="$A <|endoftext|>", special_tokens=[end])
    config = hf.Qwen3Config(vocab_size=len(tokenizer), hidden_size=12, num_hidden_layers=2, num_attention_heads=3, num_key_value_heads=1, head_dim=6,
                            intermediate_size=20, max_position_embeddings=80, tie_word_embeddings=True)
    model = randomise(hf.Qwen3ForCausalLM(config), seed=5)
    cases = []
    for text in SENTENCES:
        case = dict(text=text)
        for name, prompt in dict(PROMPTS, plain="").items():
            hidden = model.model(**tokenizer(prompt + text, return_tensors="pt", return_token_type_ids=False)).last_hidden_state[0]
            case[name] = torch.nn.functional.normalize(hidden[-1], dim=0).tolist()
        cases.append(case)
    return model, tokenizer, cases


def classify():
    model, tokenizer = labelled(hf.BertForSequenceClassification, ["bad", "fair", "good"]), wordpiece()
    pipe = hf.pipeline("text-classification", model=model, tokenizer=tokenizer, top_k=None)
    inputs = [dict(text=text) for text in SENTENCES] + [dict(text="who is it?", text_pair="Ada ran in London."), dict(text="dogs", text_pair=".")]
    cases = []
    for given in inputs:
        scores = {r["label"]: r["score"] for r in pipe([given])[0]}
        sigmoid = {r["label"]: r["score"] for r in pipe([given], function_to_apply="sigmoid")[0]}
        cases.append(dict(given, scores=scores, sigmoid=sigmoid))
    return model, tokenizer, cases


def entail():
    tokenizer, names = wordpiece(), ["contradiction", "neutral", "entailment"]
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    config = hf.BartConfig(**BART, vocab_size=len(tokenizer), num_labels=3, id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)})
    model = randomise(hf.BartForSequenceClassification(config), seed=5)
    pipe = hf.pipeline("text-classification", model=model, tokenizer=tokenizer, top_k=None)
    inputs = [dict(text=text) for text in SENTENCES] + [dict(text="The dog chased the ball.", text_pair="it ran"), dict(text="it ran", text_pair="who is it")]
    cases = [dict(given, scores={r["label"]: r["score"] for r in pipe([given])[0]}) for given in inputs]
    choose = hf.pipeline("zero-shot-classification", model=model, tokenizer=copy.deepcopy(tokenizer))  # the pipeline modifies the tokenizer
    for case in cases:
        if "text_pair" in case or not case["text"]:
            continue
        for name, labels in (("chosen", ["dog", "big ball", "who"]), ("alone", ["dog"])):
            found = choose(case["text"], labels, hypothesis_template="it is {} .")
            case[name] = dict(zip(found["labels"], found["scores"]))
    return model, tokenizer, cases


def tag():
    model, tokenizer = labelled(hf.BertForTokenClassification, ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "MISC"]), wordpiece()
    logits = torch.cat([model(**tokenizer(text, return_tensors="pt")).logits[0] for text in SENTENCES])
    model.classifier.bias -= logits.mean(0)  # so that every label is the best one for some text
    pipe = hf.pipeline("token-classification", model=model, tokenizer=tokenizer, aggregation_strategy="simple")
    cases = []
    for text in SENTENCES:
        spans = [dict(label=s["entity_group"], score=float(s["score"]), start=s["start"], end=s["end"]) for s in pipe(text)] if text else []
        cases.append(dict(text=text, spans=spans))
        for strategy in ("none", "first", "average", "max") if text else ():
            found = pipe(text, aggregation_strategy=strategy)
            cases[-1][strategy] = [dict(s, score=float(s["score"])) for s in found]
    return model, tokenizer, cases


def fill():
    model, tokenizer = bert(hf.BertForMaskedLM), wordpiece()
    pipe = hf.pipeline("fill-mask", model=model, tokenizer=tokenizer, top_k=4)
    cases = []
    for text in ["The [MASK] sat.", "[MASK]", "é the [MASK] chased the [MASK]!", "do[MASK]s ran"]:
        result = pipe(text)
        masks = result if isinstance(result[0], list) else [result]
        cases.append(dict(text=text, masks=[[dict(id=c["token"], token=c["token_str"], score=c["score"],
                                                  text=c["sequence"] if len(masks) == 1 else None) for c in mask] for mask in masks]))
    return model, tokenizer, cases


def spans_of(start, end, longest):
    best = (0.0, 0, 0)
    for i in range(len(start)):
        for j in range(i, min(len(end), i + longest)):
            best = max(best, (start[i] * end[j], -i, -j))
    return best[0], -best[1], -best[2]


def answer():
    model, tokenizer = bert(hf.BertForQuestionAnswering), wordpiece()
    hidden = torch.stack([model.bert(**tokenizer("who?", text, return_tensors="pt")).last_hidden_state[0, [0, 4]] for text in SENTENCES[:3]])
    model.qa_outputs.weight += 0.4 * (hidden[:, 0] - hidden[:, 1]).mean(0)  # so that some questions have no answer
    context = "Ada lives in London. é 狗 The dog chased the ball, and the cat sat. Who ran? It is the dog!"
    cases = []
    for question, text, window, stride in [("who?", "the dog ran.", 40, 8), ("who ran?", context, 20, 6), ("is it ada", context, 16, 4),
                                           ("where is it", context, 24, 0), ("x", "", 16, 4), ("the dog", "c", 16, 4), ("is it?", "a b", 16, 4), ("ran", "z.", 40, 8)]:
        parts = tokenizer(question, text, truncation="only_second", max_length=window, stride=stride, return_overflowing_tokens=True,
                          return_offsets_mapping=True)
        best, none = (0.0, 0, 0), 1.0
        for i, ids in enumerate(parts["input_ids"]):
            out = model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([parts["token_type_ids"][i]]))
            keep = torch.tensor([s == 1 for s in parts.sequence_ids(i)])
            keep[0] = True
            start, end = (torch.softmax(torch.where(keep, logits[0], -1e4), 0) for logits in (out.start_logits, out.end_logits))
            none = min(none, (start[0] * end[0]).item())
            start[0] = end[0] = 0
            score, first, last = spans_of(start.tolist(), end.tolist(), 15)
            if score > best[0]:
                best = (score, parts["offset_mapping"][i][first][0], parts["offset_mapping"][i][last][1])
        case = dict(question=question, context=text, window=window, stride=stride, windows=len(parts["input_ids"]))
        if none > best[0]:
            cases.append(dict(case, answer=None, score=none))
        else:
            cases.append(dict(case, answer=text[best[1]:best[2]], score=best[0], start=best[1], end=best[2]))
    return model, tokenizer, cases


def write():
    tokenizer = bytelevel()
    config = hf.GPT2Config(vocab_size=len(tokenizer), n_positions=48, n_embd=12, n_layer=2, n_head=3, bos_token_id=0, eos_token_id=0)
    model = randomise(hf.GPT2LMHeadModel(config), seed=11)
    pipe = hf.pipeline("text-generation", model=model, tokenizer=tokenizer)
    cases = []
    for prompt in ["the dog", "the ball the dog", "é", "x"]:
        greedy = pipe(prompt, max_new_tokens=12, do_sample=False, return_full_text=False, repetition_penalty=1.3)[0]["generated_text"]
        cases.append(dict(prompt=prompt, text=greedy))
    return model, tokenizer, cases


def translate():
    tokenizer = wordpiece()
    config = hf.BartConfig(**BART, vocab_size=len(tokenizer), forced_eos_token_id=3)
    model = randomise(hf.BartForConditionalGeneration(config), seed=5)
    model.generation_config = hf.GenerationConfig(bos_token_id=2, eos_token_id=3, pad_token_id=0, decoder_start_token_id=3, forced_bos_token_id=2,
                                                  forced_eos_token_id=3, bad_words_ids=[[0], [4]], num_beams=4, max_length=12, length_penalty=0.8)
    cases = []
    for text in SENTENCES:
        inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        out = {beams: model.generate(**inputs, num_beams=beams)[0] for beams in (1, 4)}
        cases.append(dict(text=text, greedy=tokenizer.decode(out[1], skip_special_tokens=True),
                          beam=tokenizer.decode(out[4], skip_special_tokens=True)))
    return model, tokenizer, cases


def languages():
    """As NLLB: the first token of a text is its language, the first token of the answer is the target language."""
    tokenizer, names = wordpiece(), ["eng_Latn", "deu_Latn", "fra_Latn"]
    tokenizer.add_tokens([tokenizers.AddedToken(name, special=True, normalized=False) for name in names], special_tokens=True)
    of = {name: tokenizer.convert_tokens_to_ids(name) for name in [*names, "[SEP]"]}
    config = hf.M2M100Config(**BART, vocab_size=len(tokenizer), scale_embedding=True)
    model = randomise(hf.M2M100ForConditionalGeneration(config), seed=5)
    model.generation_config = hf.GenerationConfig(eos_token_id=3, pad_token_id=0, decoder_start_token_id=3, num_beams=2, max_length=12)
    cases = []
    for source, target in [("deu_Latn", "fra_Latn"), ("fra_Latn", "deu_Latn"), ("eng_Latn", "eng_Latn")]:
        tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single=f"{source} $A [SEP]",
                                                                                   special_tokens=[(source, of[source]), ("[SEP]", 3)])
        for text in SENTENCES:
            inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
            out = model.generate(**inputs, forced_bos_token_id=of[target])[0]
            cases.append({"text": text, "from": source, "to": target, "translation": tokenizer.decode(out, skip_special_tokens=True)})
    return model, tokenizer, cases


def sentence_files(folder):
    """The files that sentence-transformers writes next to the model."""
    kinds = ["Transformer", "Pooling", "Normalize"]
    modules = [dict(idx=i, name=str(i), path="" if i == 0 else f"{i}_{kind}", type=f"sentence_transformers.models.{kind}") for i, kind in enumerate(kinds)]
    (folder / "modules.json").write_text(json.dumps(modules, indent=1) + "\n")
    (folder / "1_Pooling").mkdir()
    pooling = dict(word_embedding_dimension=12, pooling_mode_lasttoken=True, include_prompt=True)
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling) + "\n")
    (folder / "config_sentence_transformers.json").write_text(json.dumps(dict(prompts=PROMPTS, default_prompt_name=None)) + "\n")


JOBS = {f.__name__: f for f in (embed, embed_last, classify, entail, tag, fill, answer, write, translate, languages)}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/apply")
    versions = dict(torch=torch.__version__, transformers=hf.__version__, tokenizers=tokenizers.__version__)
    for name in sys.argv[2:] or JOBS:
        folder = root / name
        shutil.rmtree(folder, ignore_errors=True)
        with torch.no_grad():
            model, tokenizer, cases = JOBS[name]()
        model.save_pretrained(folder)
        if name not in ("translate", "languages"):
            (folder / "generation_config.json").unlink(missing_ok=True)
        (folder / "model.safetensors").chmod(0o644)
        tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
        if name == "embed_last":
            sentence_files(folder)
        (folder / "expected.json").write_text(json.dumps(dict(versions=versions, cases=cases), ensure_ascii=False, indent=1) + "\n")
        print(name, sum(f.stat().st_size for f in folder.rglob("*")))


if __name__ == "__main__":
    main()
