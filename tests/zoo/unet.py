"""Ronneberger et al., U-Net, 2015: figure 1, with padded convolutions and batch normalisation, as is usual now."""
import torch
from torch import nn

from sane_weights import settle

WIDTHS = (64, 128, 256, 512, 1024)
CLASSES = 2
SIZE = 256


def double_conv(inputs, outputs):
    layers = []
    for channels in (inputs, outputs):
        layers += [nn.Conv2d(channels, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList(double_conv(a, b) for a, b in zip((3, *WIDTHS), WIDTHS))
        steps = list(zip(WIDTHS[:0:-1], WIDTHS[-2::-1]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, stride=2) for a, b in steps)
        self.join = nn.ModuleList(double_conv(a, b) for a, b in steps)
        self.head = nn.Conv2d(WIDTHS[0], CLASSES, 1)

    def forward(self, x):
        skipped = []
        for level, block in enumerate(self.down):
            x = block(nn.functional.max_pool2d(x, 2) if level else x)
            skipped.append(x)
        for up, join, skip in zip(self.up, self.join, skipped[-2::-1]):
            x = join(torch.cat([skip, up(x)], 1))
        return self.head(x)


def make():
    inputs = {"image": torch.randn(1, 3, SIZE, SIZE)}
    return settle(UNet(), list(inputs.values())), inputs


MODELS = {"unet": make}
