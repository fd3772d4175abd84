"""Classifiers of torchvision, with seeded weights."""
import torch
from torchvision import models

from sane_weights import settle


def image(size, batch=1):
    return torch.randn(batch, 3, size, size)


def classifier(build, size=224):
    def make():
        inputs = {"image": image(size)}
        return settle(build(), list(inputs.values())), inputs
    return make


def vit_s():
    """Touvron et al., Training data-efficient image transformers, 2021: DeiT-S's sizes (12 layers, 6 heads, width 384)."""
    return models.VisionTransformer(image_size=224, patch_size=16, num_layers=12, num_heads=6, hidden_dim=384, mlp_dim=1536)


def inception_v3():
    return models.inception_v3(init_weights=True, aux_logits=False)


MODELS = {
    "resnet50": classifier(models.resnet50),
    "densenet121": classifier(models.densenet121),
    "inception_v3": classifier(inception_v3, 299),
    "shufflenet_v2": classifier(models.shufflenet_v2_x1_0),
    "vgg19": classifier(models.vgg19),
    "efficientnet_b0": classifier(models.efficientnet_b0),
    "vit_s": classifier(vit_s),
}
