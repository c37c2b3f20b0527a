import { expect, test } from 'vitest'
import { askForConsent } from '../../../../shared/identity/oauth/serve.ts'

const changed = (text: string) => askForConsent(new URLSearchParams(text)).get('prompt')

test.each([
  ['response_type=code&scope=openid offline_access', 'consent'],
  ['response_type=code&scope=openid offline_access&prompt=login', 'login consent'],
  ['response_type=code&scope=openid offline_access&prompt=consent', 'consent'],
  ['response_type=code&scope=openid offline_access&prompt=none', 'none'],
  ['response_type=code&scope=openid', null],
  ['response_type=code&scope=openid not_offline_access', null],
  ['grant_type=refresh_token&scope=openid offline_access', null],
])('%s asks by %s', (text, prompt) => {
  expect(changed(text)).toBe(prompt)
})

test('what asks twice is left to be refused', () => {
  const text = 'response_type=code&scope=openid+offline_access&prompt=login&prompt=none'

  expect(askForConsent(new URLSearchParams(text)).toString()).toBe(text)
})

test('nothing else of the request changes, not even what comes twice', () => {
  const text = 'state=a&state=b&scope=openid'

  expect(askForConsent(new URLSearchParams(text)).toString()).toBe(text)
})
