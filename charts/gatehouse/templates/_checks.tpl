{{/* What the schema cannot say in words. All faults are told at once. */}}
{{- define "gatehouse.checks" -}}
{{- $faults := list }}
{{- $want := "image.%s: expected %s, got nothing; build an image and push it to a registry of yours, see docs/how-to/kubernetes.md" }}
{{- if not .Values.image.repository }}
{{- $faults = append $faults (printf $want "repository" "the name of an image without tag or digest") }}
{{- end }}
{{- if not .Values.image.digest }}
{{- $faults = append $faults (printf $want "digest" "sha256: and 64 hex digits") }}
{{- end }}
{{- $name := include "gatehouse.fullname" . }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) }}
{{- $faults = append $faults (printf "name of the release: expected one that makes the name of a Service, a letter first and no dot, got %s; take another or set fullnameOverride" $name) }}
{{- end }}
{{- if and (not .Values.token.existingSecret) (not .Values.token.mint) }}
{{- $faults = append $faults "token.existingSecret: expected the name of a Secret that holds the admin token, got nothing; kubectl create secret generic NAME --from-env-file=FILE with a line token=…, or set token.mint=true and read the token in the log" }}
{{- end }}
{{- if and .Values.token.existingSecret .Values.token.mint }}
{{- $faults = append $faults "token: expected existingSecret or mint, got both; leave one out" }}
{{- end }}
{{- if .Values.ingress.enabled }}
{{- if not .Values.ingress.hosts }}
{{- $faults = append $faults "ingress.hosts: expected at least one host name, got none; the unit answers only to names that it knows" }}
{{- end }}
{{- $covered := list }}
{{- range .Values.ingress.tls }}{{ $covered = concat $covered .hosts }}{{ end }}
{{- range .Values.ingress.hosts }}
{{- if not (has . $covered) }}
{{- $faults = append $faults (printf "ingress.tls: expected an entry whose hosts name %s, got none; the API is never served without TLS, add { secretName: …, hosts: [%s] }" . .) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.serviceMonitor.tokenSecret) }}
{{- $faults = append $faults "metrics.serviceMonitor.tokenSecret: expected the name of a Secret with the token of an auditor, got nothing; svcctl token create prometheus --role auditor --file FILE makes one" }}
{{- end }}
{{- $own := list "SERVICE_API_ADDR" "SERVICE_STATE_DIR" "SERVICE_SANDBOX" "SERVICE_DEV" "SERVICE_DEMO" "SERVICE_LOG_FORMAT" "SERVICE_LOG_LEVEL" "SERVICE_PUBLIC_URL" "SERVICE_TRUSTED_PROXIES" "SERVICE_APPROVALS" "SERVICE_MCP_CATALOG" "SERVICE_MASTER_KEY_FILE" "SERVICE_API_TOKEN_FILE" "XDG_RUNTIME_DIR" }}
{{- /* URLs with a password in them, which their names do not tell. */}}
{{- $withPassword := list "EMAIL_IMAP_URL" "EMAIL_SMTP_URL" "SERVICE_HTTPS_PROXY" }}
{{- range $name, $value := .Values.environment }}
{{- if has $name $own }}
{{- $faults = append $faults (printf "environment.%s: expected a variable that the chart leaves to you, got one that it sets or that has no place here" $name) }}
{{- else if or (has $name $withPassword) (regexMatch "(TOKEN|KEY|SECRET|PASSWORD|_URL_AUTH)$" $name) }}
{{- $faults = append $faults (printf "environment.%s: expected no secret, got a variable that holds one; put it into a Secret and name that in secretEnvironment" $name) }}
{{- end }}
{{- end }}
{{- if $faults }}
{{- fail (printf "\n\n%s\n" (join "\n" $faults)) }}
{{- end }}
{{- end }}
