{{- define "tollgate.labels" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- /*
At most 52 characters: Kubernetes adds a hash of 11 to the name of a StatefulSet, and a label has 63.
*/}}
{{- define "tollgate.name" -}}
{{ .Release.Name | replace "." "-" | trunc 43 | trimSuffix "-" }}-tollgate
{{- end }}
