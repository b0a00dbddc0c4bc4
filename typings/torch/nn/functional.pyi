from torch import Tensor

def cross_entropy(logits: Tensor, target: Tensor, *, ignore_index: int, reduction: str) -> Tensor: ...
def dropout(input: Tensor, share: float) -> Tensor: ...
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    attn_mask: Tensor,
    dropout_p: float,
    scale: float,
) -> Tensor: ...
