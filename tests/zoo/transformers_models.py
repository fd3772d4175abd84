"""Models of the library transformers by their configuration, with seeded weights, at fixed lengths."""
import torch
from torch import nn
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, WhisperConfig, WhisperModel

from sane_weights import settle

TOKENS = 128


class ByName(nn.Module):
    """Calls a model with inputs by name and hands out one tensor, as exporters like it."""

    def __init__(self, model, names, output, fixed):
        super().__init__()
        self.model, self.names, self.output, self.fixed = model, names, output, fixed

    def call(self, *tensors):
        return self.model(**dict(zip(self.names, tensors)), **self.fixed, return_dict=True)[self.output]


class OfOne(ByName):
    def forward(self, a):
        return self.call(a)


class OfTwo(ByName):
    def forward(self, a, b):
        return self.call(a, b)


class OfThree(ByName):
    def forward(self, a, b, c):
        return self.call(a, b, c)


def of(model, inputs, output, **fixed):
    settled = settle(model, list(inputs.values()))
    return (OfOne, OfTwo, OfThree)[len(inputs) - 1](settled, list(inputs), output, fixed).eval(), inputs


def bert_base():
    config = BertConfig(attn_implementation="eager")
    tokens = torch.randint(0, config.vocab_size, (1, TOKENS))
    mask = (torch.arange(TOKENS) < 100).long()[None]
    return of(BertModel(config, add_pooling_layer=False), {"input_ids": tokens, "attention_mask": mask}, "last_hidden_state")


def gpt2_block():
    config = GPT2Config(n_layer=1, attn_implementation="eager")
    inputs = {"input_ids": torch.randint(0, config.vocab_size, (1, TOKENS)), "attention_mask": torch.ones(1, TOKENS, dtype=torch.int64)}
    return of(GPT2LMHeadModel(config), inputs, "logits", use_cache=False)


def whisper_config():
    """The sizes of whisper-tiny: width 384, 4 layers on each side, 6 heads."""
    return WhisperConfig(d_model=384, encoder_layers=4, decoder_layers=4, encoder_attention_heads=6, decoder_attention_heads=6,
                         encoder_ffn_dim=1536, decoder_ffn_dim=1536, attn_implementation="eager")


def whisper_encoder():
    return of(WhisperModel(whisper_config()).encoder, {"input_features": torch.randn(1, 80, 3000)}, "last_hidden_state")


def whisper_decoder():
    config = whisper_config()
    inputs = {"input_ids": torch.randint(0, config.vocab_size, (1, 64)), "attention_mask": torch.ones(1, 64, dtype=torch.int64), "encoder_hidden_states": torch.randn(1, 1500, 384)}
    return of(WhisperModel(config).decoder, inputs, "last_hidden_state", use_cache=False)


MODELS = {"bert_base": bert_base, "gpt2_block": gpt2_block, "whisper_encoder": whisper_encoder, "whisper_decoder": whisper_decoder}
