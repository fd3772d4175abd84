// Elements read at places that are computed from the inputs' values.
#pragma once
#include "base/result.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/resample.h"

namespace hone::te {

enum class Beyond : uint8_t { kZeros, kEdge, kReflect };  // what lies beyond the tensor

struct GridSampling {
  Blend blend = Blend::kLinear;
  Beyond beyond = Beyond::kZeros;
  bool corners = false;  // −1 and 1 are the centres of the outermost elements; else their outer edges
};
// y[n, c, o…] = x[n, c, …] at the place grid[n, o…, :], whose last entry is that of x's last dimension; −1 to 1 is the whole extent. x: [n, c, spatial…],
// grid: [n, outputs…, spatial rank] of a float type (Jaderberg et al. 2015, "Spatial transformer networks", 3.3). Fails: bad_model, unsupported.
Result<Tensor> sample_at(Builder& b, Tensor x, Tensor grid, const GridSampling& sampling);

// The grid of places theta[n] · (x, y, …, 1) for an image of `spatial` extents: [n, spatial…, rank]. theta: [n, rank, rank + 1]. Fails: bad_model.
Result<Tensor> affine_grid(Builder& b, Tensor theta, const Shape& spatial, bool corners);

struct DeformedWindow {
  ConvParams conv;            // with the kernel
  int64_t offset_groups = 1;  // neighbouring channels that share offsets
  Tensor offsets = nullptr;   // [n, offset_groups · kernel · spatial rank, positions…]
  Tensor mask = nullptr;      // null, or [n, offset_groups · kernel, positions…]: factors
};
// A convolution of x: [n, c, spatial…] with w: [o, c / groups, kernel…] whose window's elements lie off their places by `offsets`, with linear interpolation, and zeros
// beyond (Zhu et al. 2018, "Deformable ConvNets v2", 3.1): the Map "columns", and the reduction "Y". Fails: bad_model, unsupported.
Result<Tensor> deformed_conv(Builder& b, Tensor x, Tensor w, const DeformedWindow& window);

struct RegionSampling {
  int64_t height = 1, width = 1;  // of the result
  int64_t samples = 0;            // of a cell along each dimension; 0: as many as the cell has pixels, and no more than one as large as x can have
  double scale = 1;               // from a region's coordinates to x's
  bool half_pixel = true;         // pixels are counted from their centres; else a region has 1 pixel at least
  bool largest = false;           // of the samples' weighted pixels the largest; else the samples' mean
};
// y[r, c, i, j]: what x[images[r], c] has in cell (i, j) of the region regions[r] = (x1, y1, x2, y2), linearly interpolated. x: [n, c, h, w]
// (He et al. 2017, "Mask R-CNN", 3). Fails: bad_model.
Result<Tensor> pooled_regions(Builder& b, Tensor x, Tensor regions, Tensor images, const RegionSampling& sampling);

}  // namespace hone::te
