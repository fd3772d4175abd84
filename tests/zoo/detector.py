"""A detector like YOLOv8 in its smallest size: written from the public description of its blocks, without its authors' code or weights.

The backbone halves the image five times; a path up and one down join three levels; a head without anchors gives for each place of
each level a box, as a distribution over distances to its four sides, and a score for each class.
"""
import torch
import torchvision
from torch import nn

from sane_weights import settle

CLASSES = 80
BINS = 16  # of a distance, in cells
STRIDES = (8, 16, 32)
WIDTHS = (16, 32, 64, 128, 256)
SIZE = 640
CANDIDATES, IOU_MAX = 100, 0.5  # of the suppression: boxes that it begins with, and overlap from which one goes


class ConvUnit(nn.Sequential):
    def __init__(self, inputs, outputs, kernel=1, stride=1):
        super().__init__(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.SiLU())


class Bottleneck(nn.Module):
    def __init__(self, width, shortcut):
        super().__init__()
        self.body, self.shortcut = nn.Sequential(ConvUnit(width, width, 3), ConvUnit(width, width, 3)), shortcut

    def forward(self, x):
        return x + self.body(x) if self.shortcut else self.body(x)


class SplitStage(nn.Module):
    """Half of the channels pass through the bottlenecks, and every step's result is kept for the last product."""

    def __init__(self, inputs, outputs, repeats, shortcut=False):
        super().__init__()
        self.enter, self.leave = ConvUnit(inputs, outputs), ConvUnit((2 + repeats) * outputs // 2, outputs)
        self.steps = nn.ModuleList(Bottleneck(outputs // 2, shortcut) for _ in range(repeats))

    def forward(self, x):
        parts = list(self.enter(x).chunk(2, 1))
        for step in self.steps:
            parts.append(step(parts[-1]))
        return self.leave(torch.cat(parts, 1))


class PoolPyramid(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.enter, self.leave = ConvUnit(width, width // 2), ConvUnit(2 * width, width)

    def forward(self, x):
        parts = [self.enter(x)]
        for _ in range(3):
            parts.append(nn.functional.max_pool2d(parts[-1], 5, 1, 2))
        return self.leave(torch.cat(parts, 1))


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        a, b, c, d, e = WIDTHS
        self.low = nn.Sequential(ConvUnit(3, a, 3, 2), ConvUnit(a, b, 3, 2), SplitStage(b, b, 1, True), ConvUnit(b, c, 3, 2), SplitStage(c, c, 2, True))
        self.middle = nn.Sequential(ConvUnit(c, d, 3, 2), SplitStage(d, d, 2, True))
        self.high = nn.Sequential(ConvUnit(d, e, 3, 2), SplitStage(e, e, 1, True), PoolPyramid(e))

    def forward(self, x):
        low = self.low(x)
        middle = self.middle(low)
        return low, middle, self.high(middle)


class Neck(nn.Module):
    def __init__(self):
        super().__init__()
        _, _, c, d, e = WIDTHS
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.middle_up, self.low_out = SplitStage(d + e, d, 1), SplitStage(c + d, c, 1)
        self.low_down, self.middle_out = ConvUnit(c, c, 3, 2), SplitStage(c + d, d, 1)
        self.middle_down, self.high_out = ConvUnit(d, d, 3, 2), SplitStage(d + e, e, 1)

    def forward(self, low, middle, high):
        middle = self.middle_up(torch.cat([self.up(high), middle], 1))
        low = self.low_out(torch.cat([self.up(middle), low], 1))
        middle = self.middle_out(torch.cat([self.low_down(low), middle], 1))
        return low, middle, self.high_out(torch.cat([self.middle_down(middle), high], 1))


def branch(inputs, width, outputs):
    return nn.Sequential(ConvUnit(inputs, width, 3), ConvUnit(width, width, 3), nn.Conv2d(width, outputs, 1))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.boxes = nn.ModuleList(branch(width, 64, 4 * BINS) for width in WIDTHS[2:])
        self.scores = nn.ModuleList(branch(width, 80, CLASSES) for width in WIDTHS[2:])
        cells = [SIZE // stride for stride in STRIDES]
        places = [torch.stack(torch.meshgrid(torch.arange(n) + 0.5, torch.arange(n) + 0.5, indexing="xy")).flatten(1) for n in cells]
        self.register_buffer("places", torch.cat(places, 1))
        self.register_buffer("strides", torch.cat([torch.full((n * n,), float(s)) for n, s in zip(cells, STRIDES)]))
        self.register_buffer("bins", torch.arange(BINS, dtype=torch.float32).view(1, 1, BINS, 1))

    def forward(self, levels):
        sides = torch.cat([box(x).flatten(2) for box, x in zip(self.boxes, levels)], 2)
        scores = torch.cat([score(x).flatten(2) for score, x in zip(self.scores, levels)], 2)
        distances = (sides.unflatten(1, (4, BINS)).softmax(2) * self.bins).sum(2)
        near, far = distances.chunk(2, 1)
        centre, extent = self.places + (far - near) / 2, near + far
        return torch.cat([centre * self.strides, extent * self.strides, scores.sigmoid()], 1)


class Detector(nn.Module):
    """Image [1, 3, SIZE, SIZE] → [1, 4 + CLASSES, places]: centre, width and height in pixels, then the classes' scores."""

    def __init__(self):
        super().__init__()
        self.backbone, self.neck, self.head = Backbone(), Neck(), Head()

    def forward(self, image):
        return self.head(self.neck(*self.backbone(image)))


class SuppressedDetector(nn.Module):
    """Image [1, 3, SIZE, SIZE] → [kept, 6]: the corners of the boxes that no better one covers, their scores and classes; CANDIDATES of them at most."""

    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, image):
        found = self.detector(image)[0]
        scores, classes = found[4:].max(0)
        scores, places = scores.topk(CANDIDATES)
        centre, extent = found[:2, places], found[2:4, places] / 2
        boxes = torch.cat([centre - extent, centre + extent]).t()
        kept = torchvision.ops.nms(boxes, scores, IOU_MAX)
        return torch.cat([boxes[kept], scores[kept, None], classes[places][kept, None].float()], 1)


def make_suppressed():
    detector, inputs = make()
    return SuppressedDetector(detector).eval(), inputs


def make():
    inputs = {"image": torch.rand(1, 3, SIZE, SIZE)}
    return settle(Detector(), list(inputs.values())), inputs


MODELS = {"detector": make, "detector_nms": make_suppressed}
