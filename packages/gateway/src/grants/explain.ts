// Explains why a tool call would be allowed or denied: its checks in order, up to the one that decides.
import { type AgentGroupID, type Explanation, ServerName, type ToolErrorCode } from '@gatehouse/contracts'
import { distinctName, exposedPrefix, parseName, type ToolAddress } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { spell } from '../state/catalog.ts'
import { quote } from '../text.ts'
import { type GrantDeps, type Place, subjectOf } from './authorize.ts'
import { checks, type Subject } from './checks.ts'
import { viewGrant } from './drift.ts'

interface ExplainDeps extends GrantDeps {
  readonly store: Store
}

interface Asked {
  readonly agentGroupID: AgentGroupID
  /** `<server>__<tool>`, or as agents see it. */
  readonly tool: string
}

interface Step {
  readonly check: string
  readonly passed: boolean
  readonly detail: string
  readonly code: ToolErrorCode
}

/** The tool that agents see under this name, among those of servers in the catalog. */
const findExposed = ({ catalog, declared }: ExplainDeps, name: string): ToolAddress | undefined =>
  catalog
    .items()
    .filter((item) => name.startsWith(exposedPrefix(item.name)))
    .flatMap((item) => [...(declared.of(item.name, item.digest)?.definitions.keys() ?? [])].map((tool) => ({ server: item.name, tool })))
    .find((address) => name === distinctName(address))

const findPlace = async (deps: ExplainDeps, { agentGroupID, tool: name }: Asked): Promise<Place> => {
  const exposed = findExposed(deps, name)
  if (exposed !== undefined) return { agentGroupID, ...exposed }
  const parsed = parseName(name)
  const server = v.safeParse(ServerName, parsed?.server)
  if (parsed === null || !server.success) return { agentGroupID, server: '', tool: name }
  return { agentGroupID, server: await spell(deps, server.output), tool: parsed.tool }
}

/** What the broker finds beyond the verdict. */
const brokerSteps = ({ server, tool, entryDigest, declared }: Subject): Step[] => {
  const isConfigured = entryDigest !== undefined
  const isDeclared = declared?.has(tool)
  const configured = `the tool server ${quote(server)} is ${isConfigured ? '' : 'not '}in the catalog`
  const seen = `it ${isDeclared === true ? 'declared' : 'did not declare'} the tool when it was last listed`
  return [
    { check: 'server', passed: isConfigured, detail: configured, code: 'server-unavailable' },
    {
      check: 'declared',
      passed: isDeclared !== false,
      detail: isDeclared === undefined ? 'it was not listed yet' : seen,
      code: 'not-declared',
    },
  ]
}

const stepsOf = (subject: Subject): Step[] => {
  const own = checks.map((check): Step => {
    const passed = check.passes(subject)
    return { check: check.name, passed, detail: check.explain(subject, passed), code: check.code }
  })
  const all = [...own, ...brokerSteps(subject)]
  const end = all.findIndex(({ passed }) => !passed)
  return end === -1 ? all : all.slice(0, end + 1)
}

const shown = ({ check, passed, detail }: Step) => ({ check, passed, detail })

export const explain = async (deps: ExplainDeps, asked: Asked): Promise<Explanation> => {
  const subject = subjectOf(deps, await deps.table.current(), await findPlace(deps, asked))
  const steps = stepsOf(subject)
  const last = steps.at(-1)
  const failed = last?.passed === false ? last : undefined
  const who = `A call of ${quote(asked.tool)} by ${asked.agentGroupID}`
  return {
    ...asked,
    allowed: failed === undefined,
    ...(failed === undefined ? {} : { code: failed.code }),
    summary: failed === undefined ? `${who} is allowed.` : `${who} is refused (${failed.code}): ${failed.detail}.`,
    steps: steps.map(shown),
    ...(subject.row === undefined ? {} : { grant: viewGrant(deps, subject.row) }),
  }
}
