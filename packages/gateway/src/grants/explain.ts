// Explains why a tool call would be allowed or denied: its checks in order, up to the one that decides.
import { type AgentGroupID, type Explanation, ServerName, type ToolErrorCode } from '@gatehouse/contracts'
import { distinctName, exposedPrefix, parseName, type ToolAddress } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { spell } from '../state/catalog.ts'
import { quote } from '../text.ts'
import { type GrantDeps, type Place, buildSubject } from './authorize.ts'
import { checks, type Subject } from './checks.ts'
import { viewGrant } from './drift.ts'

interface ExplainDeps extends GrantDeps {
  readonly store: Store
}

interface ExplainRequest {
  readonly agentGroupID: AgentGroupID
  /** `<server>__<tool>`, or the name that agents see. */
  readonly tool: string
}

interface Step {
  readonly check: string
  readonly passed: boolean
  readonly detail: string
  readonly code: ToolErrorCode
}

/** Finds the tool of a configured server that agents see under this name. */
const findExposed = ({ catalog, declared }: ExplainDeps, name: string): ToolAddress | undefined =>
  catalog
    .items()
    .filter((item) => name.startsWith(exposedPrefix(item.name)))
    .flatMap((item) => [...(declared.of(item.name, item.digest)?.definitions.keys() ?? [])].map((tool) => ({ server: item.name, tool })))
    .find((address) => name === distinctName(address))

const findPlace = async (deps: ExplainDeps, { agentGroupID, tool: name }: ExplainRequest): Promise<Place> => {
  const exposed = findExposed(deps, name)
  if (exposed !== undefined) return { agentGroupID, ...exposed }
  const parsed = parseName(name)
  const server = v.safeParse(ServerName, parsed?.server)
  if (parsed === null || !server.success) return { agentGroupID, server: '', tool: name }
  return { agentGroupID, server: await spell(deps, server.output), tool: parsed.tool }
}

/** The checks that the broker makes after authorization. */
const brokerSteps = ({ server, tool, entryDigest, declared }: Subject): Step[] => {
  const isConfigured = entryDigest !== undefined
  const isDeclared = declared?.has(tool)
  const configured = `the tool server ${quote(server)} is ${isConfigured ? '' : 'not '}in the catalog`
  const listed = `the server ${isDeclared === true ? 'declared' : 'did not declare'} the tool in its last listing`
  return [
    { check: 'server', passed: isConfigured, detail: configured, code: 'server-unavailable' },
    {
      check: 'declared',
      passed: isDeclared !== false,
      detail: isDeclared === undefined ? 'the server was not listed yet' : listed,
      code: 'not-declared',
    },
  ]
}

const runChecks = (subject: Subject): Step[] => {
  const own = checks.map((check): Step => {
    const passed = check.passes(subject)
    return { check: check.name, passed, detail: check.explain(subject, passed), code: check.code }
  })
  const all = [...own, ...brokerSteps(subject)]
  const end = all.findIndex(({ passed }) => !passed)
  return end === -1 ? all : all.slice(0, end + 1)
}

const shown = ({ check, passed, detail }: Step) => ({ check, passed, detail })

export const explain = async (deps: ExplainDeps, request: ExplainRequest): Promise<Explanation> => {
  const subject = buildSubject(deps, await deps.table.current(), await findPlace(deps, request))
  const steps = runChecks(subject)
  const last = steps.at(-1)
  const failed = last?.passed === false ? last : undefined
  const call = `A call of ${quote(request.tool)} by ${request.agentGroupID}`
  return {
    ...request,
    allowed: failed === undefined,
    ...(failed === undefined ? {} : { code: failed.code }),
    summary: failed === undefined ? `${call} is allowed.` : `${call} is refused (${failed.code}): ${failed.detail}.`,
    steps: steps.map(shown),
    ...(subject.row === undefined ? {} : { grant: viewGrant(deps, subject.row) }),
  }
}
