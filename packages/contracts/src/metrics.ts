// All metrics of a unit with their owner, help text and labels. Prefix `gatehouse_`, base units.

export interface MetricRow {
  /** The process that exports it. `every`: all processes. */
  readonly owner: 'gateway' | 'broker' | 'runner' | 'model-proxy' | 'channels' | 'control-plane' | 'supervisor' | 'every'
  /** Other processes that also export it. */
  readonly also?: readonly ('channels' | 'model-proxy' | 'runner')[]
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of a histogram in seconds; default `fineBuckets`. */
  readonly buckets?: readonly number[]
}

/** For plots and alerts: from half a millisecond to ten seconds. */
export const fineBuckets: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** For metrics with many labels, where the order of magnitude is enough. */
const coarseBuckets: readonly number[] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

export const metrics = {
  http_requests_total: {
    owner: 'control-plane',
    type: 'counter',
    help: 'Admin API requests by outcome',
    labels: ['route', 'method', 'status'],
  },
  http_request_duration_seconds: {
    owner: 'control-plane',
    type: 'histogram',
    help: 'Admin API request duration',
    labels: ['route'],
    buckets: coarseBuckets,
  },
  mcp_client_requests_total: {
    owner: 'control-plane',
    type: 'counter',
    help: 'Lists, calls and change requests of external MCP clients',
    labels: ['op', 'outcome'],
  },
  gateway_decisions_total: { owner: 'gateway', type: 'counter', help: 'Changes by outcome', labels: ['kind', 'outcome'] },
  gateway_held_changes: { owner: 'gateway', type: 'gauge', help: 'Pending changes', labels: [] },
  gateway_oldest_held_seconds: { owner: 'gateway', type: 'gauge', help: 'Age of the oldest pending change', labels: [] },
  gateway_apply_duration_seconds: {
    owner: 'gateway',
    type: 'histogram',
    help: 'Time to apply an approved change',
    labels: ['kind'],
    buckets: coarseBuckets,
  },
  group_limit_reached_total: {
    owner: 'gateway',
    also: ['model-proxy', 'runner'],
    type: 'counter',
    help: 'Number of times that an agent group reached one of its limits',
    labels: ['limit'],
  },
  audit_append_duration_seconds: { owner: 'gateway', type: 'histogram', help: 'Time until a journal line is on disk', labels: [] },
  audit_writable: { owner: 'gateway', type: 'gauge', help: '1 while the journal is writable', labels: [] },
  broker_requests_total: { owner: 'broker', type: 'counter', help: 'Tool lists and calls', labels: ['server', 'op', 'status'] },
  broker_request_duration_seconds: { owner: 'broker', type: 'histogram', help: 'Time from request to response', labels: ['server', 'op'] },
  broker_bytes_total: { owner: 'broker', type: 'counter', help: 'Bytes on session sockets', labels: ['server', 'direction'] },
  broker_upstream_up: { owner: 'broker', type: 'gauge', help: '1 while the shared connection is up', labels: ['server'] },
  broker_upstream_restarts_total: { owner: 'broker', type: 'counter', help: 'Reconnections', labels: ['server'] },
  broker_upstream_needs_login: {
    owner: 'broker',
    type: 'gauge',
    help: '1 while a person has to log in at the authorization server of the tool server',
    labels: ['server'],
  },
  broker_token_requests_total: {
    owner: 'broker',
    type: 'counter',
    help: 'Tokens asked for at authorization servers of tool servers',
    labels: ['server', 'grant', 'outcome'],
  },
  broker_queue_depth: { owner: 'broker', type: 'gauge', help: 'Calls waiting for a slot', labels: ['server'] },
  model_proxy_egress_bytes_total: {
    owner: 'model-proxy',
    type: 'counter',
    help: 'Bytes sent to model providers',
    labels: ['provider'],
  },
  model_proxy_errors_total: {
    owner: 'model-proxy',
    type: 'counter',
    help: 'Failed model requests',
    labels: ['provider', 'class'],
  },
  model_proxy_request_duration_seconds: {
    owner: 'model-proxy',
    type: 'histogram',
    help: 'Time from a request to the end of its response',
    labels: ['provider', 'outcome'],
  },
  model_proxy_tokens_total: {
    owner: 'model-proxy',
    type: 'counter',
    help: 'Tokens used by model requests',
    labels: ['provider', 'direction'],
  },
  sandbox_launches_total: { owner: 'runner', type: 'counter', help: 'Sandbox launches by outcome', labels: ['driver', 'outcome'] },
  sandbox_launch_duration_seconds: { owner: 'runner', type: 'histogram', help: 'Time from launch to first request', labels: ['driver'] },
  sandbox_launches_waiting: { owner: 'runner', type: 'gauge', help: 'Sandboxes waiting for their turn to launch', labels: [] },
  sandbox_kills_total: { owner: 'runner', type: 'counter', help: 'Sandboxes ended by the host', labels: ['reason'] },
  sandbox_live: { owner: 'runner', type: 'gauge', help: 'Running sandboxes', labels: [] },
  sandbox_cpu_throttled_seconds_total: {
    owner: 'runner',
    type: 'counter',
    help: 'Time that sandboxes were throttled by their CPU limit, if the driver reports it',
    labels: [],
  },
  deliveries_total: {
    owner: 'runner',
    also: ['channels'],
    type: 'counter',
    help: 'Messages to people by outcome',
    labels: ['channel', 'outcome'],
  },
  channel_messages_total: {
    owner: 'channels',
    type: 'counter',
    help: 'Incoming channel messages by outcome',
    labels: ['channel', 'outcome'],
  },
  cards_total: {
    owner: 'channels',
    type: 'counter',
    help: 'Approval cards by outcome',
    labels: ['channel', 'outcome'],
  },
  card_decisions_total: {
    owner: 'channels',
    type: 'counter',
    help: 'Decisions made in channels by outcome',
    labels: ['channel', 'outcome'],
  },
  webhooks_refused_total: {
    owner: 'control-plane',
    type: 'counter',
    help: 'Webhooks refused before their signature was verified, by reason',
    labels: ['reason'],
  },
  channel_up: { owner: 'channels', type: 'gauge', help: '1 while the channel is usable', labels: ['channel'] },
  rpc_calls_total: {
    owner: 'every',
    type: 'counter',
    help: 'Calls to other processes of the unit by outcome',
    labels: ['edge', 'method', 'outcome'],
  },
  rpc_call_duration_seconds: {
    owner: 'every',
    type: 'histogram',
    help: 'Duration of calls to other processes of the unit',
    labels: ['edge'],
    buckets: coarseBuckets,
  },
  unit_ready: { owner: 'control-plane', type: 'gauge', help: '1 while /readyz returns 200', labels: [] },
  unit_degraded: { owner: 'control-plane', type: 'gauge', help: '1 for each part that /readyz reports as degraded', labels: ['part'] },
  sandbox_refused: { owner: 'control-plane', type: 'gauge', help: '1 while every launch is refused', labels: [] },
  sandbox_missing_walls: { owner: 'control-plane', type: 'gauge', help: 'Missing controls of the seal', labels: [] },
  state_free_bytes: { owner: 'supervisor', type: 'gauge', help: 'Free bytes on the disk of the state directory', labels: [] },
  state_size_bytes: { owner: 'supervisor', type: 'gauge', help: 'Size of the disk of the state directory', labels: [] },
  process_restarts_total: {
    owner: 'supervisor',
    type: 'counter',
    help: 'Process exits since the unit started',
    labels: ['process'],
  },
  process_up: { owner: 'supervisor', type: 'gauge', help: '1 while the process is ready', labels: ['process'] },
  build_info: { owner: 'supervisor', type: 'gauge', help: '1, labelled with the version', labels: ['version'] },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof metrics
