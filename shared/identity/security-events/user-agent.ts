// The family of a client: which program on which system, without versions, so that an update is no new device.

/** In the order of matching: most browsers also name the browsers they descend from. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b|\biPod\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const FAMILY_MAX = 60
/** Names end up as members of objects, so none begins like `__proto__`. */
const PRODUCT = /^([A-Za-z0-9.-][A-Za-z0-9._-]*)/

const nameOf = (table: readonly (readonly [RegExp, string])[], agent: string) =>
  table.find(([pattern]) => pattern.test(agent))?.[1]

/** `Chrome on Windows`, `curl`, `unknown`: a display name, never a secret and never trusted. */
export function familyOf(userAgent: string): string {
  const program = nameOf(PROGRAMS, userAgent) ?? PRODUCT.exec(userAgent)?.[1] ?? 'unknown'
  const system = nameOf(SYSTEMS, userAgent)
  return (system ? `${program} on ${system}` : program).slice(0, FAMILY_MAX)
}
