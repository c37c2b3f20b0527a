/** A setting that the deployment must provide; throws when it does not. Settings are names and addresses, never secrets. */
export function env(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`environment variable ${name} is not set`)
  return value
}
