"""Robots and kernels under PyTorch: autograd, torch.func, torch.compile."""
