// Whoever wants to be told; each can stop listening.

export class Listeners {
  private readonly all = new Set<() => void>();

  add(listener: () => void): () => void {
    this.all.add(listener);
    return () => this.all.delete(listener);
  }
  tell(): void {
    for (const l of this.all) l();
  }
}
