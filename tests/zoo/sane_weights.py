"""Seeded weights whose activations neither explode nor vanish, for models that were never trained."""
import torch
from torch import nn

NORMS = (nn.modules.batchnorm._BatchNorm, nn.LayerNorm, nn.GroupNorm)
STATISTICS_PASSES = 2


def vary_norms(model):
    """A fresh model has scales of 1 and biases of 0, which a compiler could fold away: those of trained models differ."""
    for module in model.modules():
        if isinstance(module, NORMS) and module.weight is not None:
            nn.init.uniform_(module.weight, 0.7, 1.3)
            nn.init.uniform_(module.bias, -0.1, 0.1)


def fill_zeros(model):
    """Weights that a library begins at zero, as ViT's head, would make a result of zeros."""
    for parameter in model.parameters():
        if not parameter.any():
            spread = 0.1 if parameter.dim() < 2 else parameter[0].numel() ** -0.5
            nn.init.uniform_(parameter, -spread, spread)


def measure_statistics(model, inputs):
    """Batch normalisations get the mean and variance of what reaches them: the average over passes in training mode."""
    norms = [module for module in model.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    model.train()
    with torch.no_grad():
        for _ in range(STATISTICS_PASSES):
            model(*[torch.randn(4, *x.shape[1:]) for x in inputs])


def settle(model, inputs):
    with torch.no_grad():
        fill_zeros(model)
        vary_norms(model)
        measure_statistics(model, inputs)
    return model.eval()
