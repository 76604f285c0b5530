// The direction of imports: apps → services → plumbing → contracts.
import type { IRegularForbiddenRuleType as Rule } from 'dependency-cruiser'

const services = '(gateway|broker|runner|control-plane|model-proxy|channels)'
const plumbing = '(rpc|store|journal|engine|kernel)'
const inside = '^(packages|apps|tooling)/'

const rule = (name: string, comment: string, rest: Pick<Rule, 'from' | 'to'>): Rule => ({
  name,
  comment,
  severity: 'error',
  ...rest,
})

export const rules: readonly Rule[] = [
  rule('no-circle', 'modules never import each other in a circle', { from: {}, to: { circular: true } }),
  rule('resolvable', 'every workspace import leads to a file', { from: {}, to: { path: '^(@gatehouse/|\\.)', couldNotResolve: true } }),
  rule('contracts-alone', 'contracts import contracts only', {
    from: { path: '^packages/contracts/' },
    to: { path: inside, pathNot: '^packages/contracts/' },
  }),
  rule('client-to-contracts', 'the client imports contracts only', {
    from: { path: '^packages/client/' },
    to: { path: inside, pathNot: '^packages/(client|contracts)/' },
  }),
  rule('plumbing-down', 'plumbing imports plumbing and contracts only', {
    from: { path: `^packages/${plumbing}/` },
    to: { path: inside, pathNot: `^packages/(${plumbing}|contracts)/` },
  }),
  rule('service-down', 'a service imports plumbing and contracts only, never another service', {
    from: { path: `^packages/${services}/` },
    to: { path: inside, pathNot: [`^packages/(${plumbing}|contracts)/`, '^packages/$1/'] },
  }),
  rule('app-without-service', 'an app never imports a service', { from: { path: '^apps/' }, to: { path: `^packages/${services}/` } }),
  rule('app-alone', 'an app never imports another app or the tooling', {
    from: { path: '^apps/([^/]+)/' },
    to: { path: '^(apps|tooling)/', pathNot: '^apps/$1/' },
  }),
  rule('known-package', 'a package stands in one of the layers', {
    from: { path: '^packages/', pathNot: `^packages/(${services}|${plumbing}|contracts|client)/` },
    to: {},
  }),
]
