// Where the packages of npm come from. The one host that their way out leads to.
import { exits } from '@gatehouse/contracts'
import { isLoopback, Refusal } from '@gatehouse/kernel'

const npm = 'https://registry.npmjs.org/'

/** With a slash at its end. Plain http is for this machine alone. */
export const parseRegistry = (text: string | undefined): string => {
  const url = URL.canParse(text ?? npm) ? new URL(text ?? npm) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url === undefined || !isSafe || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Refusal(exits.configuration, {
      detail: `SERVICE_NPM_REGISTRY: expected an https URL without user, query and fragment, got "${text ?? npm}"`,
      hint: `leave it out for ${npm}, or name a mirror such as https://npm.example.org/`,
    })
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
