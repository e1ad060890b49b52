"""A network that learns: the layers of `network.Network` in torch, with Adam."""

import torch
from features_planning import NUMBERS
from network import Network
from torch.nn import functional


class Learner:
    """Weights for (cells seen, cells of an action, outputs), which `network` plays with while they change."""

    def __init__(self, seen, done, widths, outputs, seed):
        chance = torch.Generator().manual_seed(seed)
        sizes = [seen + done, *widths, outputs]

        def drawn(inputs, width):
            return torch.randn(inputs, width, generator=chance) * (2 / inputs) ** 0.5

        first = drawn(sizes[0], sizes[1])
        self.weights = {"seen": first[:seen].clone(), "done": first[seen:].clone()}
        self.weights["bias"] = torch.zeros(sizes[1])
        for layer in range(1, len(sizes) - 1):
            self.weights[f"weight{layer}"] = drawn(sizes[layer], sizes[layer + 1])
            self.weights[f"bias{layer}"] = torch.zeros(sizes[layer + 1])
        # The same memory: what is learned is played at once.
        self.network = Network({name: weight.numpy() for name, weight in self.weights.items()})
        for weight in self.weights.values():
            weight.requires_grad_()
        self.adam = torch.optim.Adam(self.weights.values())

    def outputs(self, seen, done):
        """(rows, outputs) of pairs of what was seen and what was done."""
        weights = self.weights
        values = seen @ weights["seen"] + done @ weights["done"] + weights["bias"]
        for layer in range(1, self.network.layers):
            values = torch.relu(values) @ weights[f"weight{layer}"] + weights[f"bias{layer}"]
        return values

    def fit(self, samples, loss, rate, chance, passes=2, rows=1024):
        """Go through `samples`, arrays of what was seen, done and came of it, in steps of so many rows."""
        self.adam.param_groups[0]["lr"] = rate
        for _ in range(passes):
            order = chance.permutation(len(samples[0]))
            for at in range(0, len(order), rows):
                seen, done, *targets = (torch.from_numpy(array[order[at : at + rows]]) for array in samples)
                self.adam.zero_grad(set_to_none=True)
                loss(self.outputs(seen, done), *targets).backward()
                self.adam.step()


def tricks_missed(outputs, more, others):
    """Of Planning: how unlikely the tricks were that came, and how wrong the others' points."""
    tricks = functional.cross_entropy(outputs[:, :NUMBERS], more)
    return tricks + functional.mse_loss(outputs[:, NUMBERS], others)


def outcome_missed(outputs, outcome):
    """Of Codepiece's bids, and of Chef's Hat: how unlikely it was that the deal ended so."""
    return functional.cross_entropy(outputs, outcome)


def success_missed(outputs, success):
    """Of Dou Dizhu, and of Codepiece's trumps and cards: how unlikely it was that the side won, or lost."""
    return functional.binary_cross_entropy_with_logits(outputs[:, 0], success)
