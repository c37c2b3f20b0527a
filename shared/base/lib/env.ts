/** A setting of the deployment; throws when it is missing. Settings are names and addresses, never secrets. */
export function env(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`environment variable ${name} is not set`)
  return value
}
