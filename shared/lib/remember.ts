/** Puts an entry into a map that a container keeps, and forgets the oldest one beyond `max`. */
export function remember<V>(map: Map<string, V>, name: string, value: V, max: number): void {
  map.set(name, value)
  if (map.size <= max) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
