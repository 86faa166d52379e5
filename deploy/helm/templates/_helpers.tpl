{{- define "tollgate.labels" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "tollgate.name" -}}
{{ .Release.Name }}-tollgate
{{- end }}
