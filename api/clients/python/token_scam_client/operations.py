# Generated from the operations of the API by `make clients`.
from typing import Any

from .base_client import BaseClient


class Operations(BaseClient):
    """A method for every operation of the API. None is sent as null in a body, and leaves out a field of a query."""

    def get_tokens(self, *, limit: Any = None, offset: Any = None, prediction: Any = None, min_confidence: Any = None, sort: Any = None, order: Any = None, cursor: Any = None) -> Any:
        """List analysed tokens: GET /tokens"""
        return self.call("GET", "/tokens", {}, {"limit": limit, "offset": offset, "prediction": prediction, "min_confidence": min_confidence, "sort": sort, "order": order, "cursor": cursor}, None)

    def get_token(self, address: Any) -> Any:
        """Token detail: GET /tokens/{address}"""
        return self.call("GET", "/tokens/{address}", {"address": address}, {}, None)

    def analyze_token(self, address: Any, *, force: Any = ...) -> Any:
        """Start an analysis: POST /tokens/analyze"""
        return self.call("POST", "/tokens/analyze", {}, {}, {"address": address, "force": force})

    def get_analysis(self, job_id: Any, *, wait: Any = None) -> Any:
        """Poll an analysis: GET /tokens/analyze/{job_id}"""
        return self.call("GET", "/tokens/analyze/{job_id}", {"job_id": job_id}, {"wait": wait}, None)

    def get_watchlist(self, *, type: Any = None, limit: Any = None, offset: Any = None) -> Any:
        """List watchlist: GET /watchlist"""
        return self.call("GET", "/watchlist", {}, {"type": type, "limit": limit, "offset": offset}, None)

    def add_to_watchlist(self, type: Any, address: Any, *, alerts: Any = ..., sensitivity: Any = ...) -> Any:
        """Watch a token or wallet: POST /watchlist"""
        return self.call("POST", "/watchlist", {}, {}, {"type": type, "address": address, "alerts": alerts, "sensitivity": sensitivity})

    def remove_from_watchlist(self, id: Any) -> Any:
        """Stop watching: DELETE /watchlist/{id}"""
        return self.call("DELETE", "/watchlist/{id}", {"id": id}, {}, None)

    def get_alerts(self, *, limit: Any = None, offset: Any = None, severity: Any = None, unread: Any = None, since_id: Any = None) -> Any:
        """List alerts: GET /alerts"""
        return self.call("GET", "/alerts", {}, {"limit": limit, "offset": offset, "severity": severity, "unread": unread, "since_id": since_id}, None)

    def read_alert(self, id: Any) -> Any:
        """Mark an alert read: POST /alerts/{id}/read"""
        return self.call("POST", "/alerts/{id}/read", {"id": id}, {}, None)

    def get_stats(self) -> Any:
        """Global statistics: GET /stats"""
        return self.call("GET", "/stats", {}, {}, None)

    def get_health(self) -> Any:
        """Health: GET /api/health"""
        return self.call("GET", "/api/health", {}, {}, None)

    def get_token_network(self, address: Any, *, depth: Any = None) -> Any:
        """Token network: GET /tokens/{address}/network"""
        return self.call("GET", "/tokens/{address}/network", {"address": address}, {"depth": depth}, None)

    def get_wallet(self, address: Any) -> Any:
        """Wallet: GET /wallets/{address}"""
        return self.call("GET", "/wallets/{address}", {"address": address}, {}, None)

    def get_wallet_tokens(self, address: Any, *, limit: Any = None, offset: Any = None) -> Any:
        """Tokens created by a wallet: GET /wallets/{address}/tokens"""
        return self.call("GET", "/wallets/{address}/tokens", {"address": address}, {"limit": limit, "offset": offset}, None)

    def get_wallet_report(self, address: Any) -> Any:
        """Wallet with reputation, scam history and connections: GET /api/wallets/{address}"""
        return self.call("GET", "/api/wallets/{address}", {"address": address}, {}, None)

    def get_wallet_analysis(self, address: Any) -> Any:
        """Wallet analysis: GET /api/wallet/{address}"""
        return self.call("GET", "/api/wallet/{address}", {"address": address}, {}, None)

    def get_tokens_of_wallet(self, address: Any, *, page: Any = None, limit: Any = None, offset: Any = None, cursor: Any = None) -> Any:
        """Tokens created by the wallet: GET /api/wallet/{address}/tokens"""
        return self.call("GET", "/api/wallet/{address}/tokens", {"address": address}, {"page": page, "limit": limit, "offset": offset, "cursor": cursor}, None)

    def get_wallet_reputation(self, address: Any, *, from_: Any = None, to: Any = None, limit: Any = None) -> Any:
        """Reputation score and history: GET /api/wallets/{address}/reputation"""
        return self.call("GET", "/api/wallets/{address}/reputation", {"address": address}, {"from": from_, "to": to, "limit": limit}, None)

    def get_wallet_reputation_alias(self, address: Any, *, from_: Any = None, to: Any = None, limit: Any = None) -> Any:
        """Reputation (singular alias): GET /api/wallet/{address}/reputation"""
        return self.call("GET", "/api/wallet/{address}/reputation", {"address": address}, {"from": from_, "to": to, "limit": limit}, None)

    def get_clusters(self, *, limit: Any = None, offset: Any = None, min_size: Any = None, sort: Any = None, order: Any = None) -> Any:
        """List clusters: GET /clusters"""
        return self.call("GET", "/clusters", {}, {"limit": limit, "offset": offset, "min_size": min_size, "sort": sort, "order": order}, None)

    def get_cluster(self, id: Any) -> Any:
        """Cluster detail: GET /clusters/{id}"""
        return self.call("GET", "/clusters/{id}", {"id": id}, {}, None)

    def get_token_graph(self, address: Any, *, depth: Any = None, limit: Any = None, direction: Any = None, types: Any = None, min_weight: Any = None) -> Any:
        """Graph around a token: GET /api/graph/token/{address}"""
        return self.call("GET", "/api/graph/token/{address}", {"address": address}, {"depth": depth, "limit": limit, "direction": direction, "types": types, "min_weight": min_weight}, None)

    def get_wallet_graph(self, address: Any, *, depth: Any = None, limit: Any = None, direction: Any = None, types: Any = None, min_weight: Any = None) -> Any:
        """Graph around a wallet: GET /api/graph/wallet/{address}"""
        return self.call("GET", "/api/graph/wallet/{address}", {"address": address}, {"depth": depth, "limit": limit, "direction": direction, "types": types, "min_weight": min_weight}, None)

    def get_graph_path(self, from_: Any, to: Any, *, max_depth: Any = None, limit: Any = None, direction: Any = None, types: Any = None, through_hubs: Any = None) -> Any:
        """Path between two addresses: GET /api/graph/path"""
        return self.call("GET", "/api/graph/path", {}, {"from": from_, "to": to, "max_depth": max_depth, "limit": limit, "direction": direction, "types": types, "through_hubs": through_hubs}, None)

    def get_graph(self, address: Any, *, depth: Any = None, limit: Any = None, direction: Any = None, types: Any = None, min_weight: Any = None) -> Any:
        """Graph around any address: GET /api/graph/{address}"""
        return self.call("GET", "/api/graph/{address}", {"address": address}, {"depth": depth, "limit": limit, "direction": direction, "types": types, "min_weight": min_weight}, None)

    def get_watched_wallets(self, *, type: Any = None, page: Any = None, limit: Any = None, offset: Any = None, cursor: Any = None) -> Any:
        """Watched wallets: GET /api/watchlist"""
        return self.call("GET", "/api/watchlist", {}, {"type": type, "page": page, "limit": limit, "offset": offset, "cursor": cursor}, None)

    def watch_wallet(self, address: Any, *, type: Any = ..., alerts: Any = ..., sensitivity: Any = ...) -> Any:
        """Watch a wallet: POST /api/watchlist"""
        return self.call("POST", "/api/watchlist", {}, {}, {"address": address, "type": type, "alerts": alerts, "sensitivity": sensitivity})

    def unwatch_wallet(self, address: Any, *, type: Any = None) -> Any:
        """Stop watching (by address): DELETE /api/watchlist/{address}"""
        return self.call("DELETE", "/api/watchlist/{address}", {"address": address}, {"type": type}, None)

    def get_alert_history(self, *, page: Any = None, limit: Any = None, offset: Any = None, cursor: Any = None, severity: Any = None, type: Any = None, read: Any = None, created_after: Any = None, created_before: Any = None) -> Any:
        """Alert history: GET /api/alerts"""
        return self.call("GET", "/api/alerts", {}, {"page": page, "limit": limit, "offset": offset, "cursor": cursor, "severity": severity, "type": type, "read": read, "created_after": created_after, "created_before": created_before}, None)

    def get_alert_config(self) -> Any:
        """Read alert settings: GET /api/alerts/configure"""
        return self.call("GET", "/api/alerts/configure", {}, {}, None)

    def configure_alerts(self, *, enabled: Any = ..., default_alerts: Any = ..., default_sensitivity: Any = ..., min_severity: Any = ..., thresholds: Any = ..., channels: Any = ..., muted: Any = ..., dedupe_window_seconds: Any = ..., quiet_hours: Any = ...) -> Any:
        """Change alert settings: POST /api/alerts/configure"""
        return self.call("POST", "/api/alerts/configure", {}, {}, {"enabled": enabled, "default_alerts": default_alerts, "default_sensitivity": default_sensitivity, "min_severity": min_severity, "thresholds": thresholds, "channels": channels, "muted": muted, "dedupe_window_seconds": dedupe_window_seconds, "quiet_hours": quiet_hours})

    def get_webhooks(self) -> Any:
        """List webhooks: GET /api/webhooks"""
        return self.call("GET", "/api/webhooks", {}, {}, None)

    def create_webhook(self, events: Any, *, kind: Any = ..., url: Any = ..., bot_token: Any = ..., chat_id: Any = ..., email: Any = ..., language: Any = ..., digest: Any = ..., quiet_hours: Any = ..., description: Any = ..., filters: Any = ..., secret: Any = ...) -> Any:
        """Register a webhook: POST /api/webhooks"""
        return self.call("POST", "/api/webhooks", {}, {}, {"kind": kind, "url": url, "bot_token": bot_token, "chat_id": chat_id, "email": email, "language": language, "digest": digest, "quiet_hours": quiet_hours, "events": events, "description": description, "filters": filters, "secret": secret})

    def get_webhook(self, id: Any) -> Any:
        """Webhook: GET /api/webhooks/{id}"""
        return self.call("GET", "/api/webhooks/{id}", {"id": id}, {}, None)

    def change_webhook(self, id: Any, *, url: Any = ..., bot_token: Any = ..., chat_id: Any = ..., language: Any = ..., digest: Any = ..., quiet_hours: Any = ..., events: Any = ..., description: Any = ..., filters: Any = ..., status: Any = ...) -> Any:
        """Change a webhook: PATCH /api/webhooks/{id}"""
        return self.call("PATCH", "/api/webhooks/{id}", {"id": id}, {}, {"url": url, "bot_token": bot_token, "chat_id": chat_id, "language": language, "digest": digest, "quiet_hours": quiet_hours, "events": events, "description": description, "filters": filters, "status": status})

    def remove_webhook(self, id: Any) -> Any:
        """Remove a webhook: DELETE /api/webhooks/{id}"""
        return self.call("DELETE", "/api/webhooks/{id}", {"id": id}, {}, None)

    def rotate_webhook_secret(self, id: Any) -> Any:
        """Rotate the secret: POST /api/webhooks/{id}/rotate-secret"""
        return self.call("POST", "/api/webhooks/{id}/rotate-secret", {"id": id}, {}, None)

    def test_webhook(self, id: Any) -> Any:
        """Send a test event: POST /api/webhooks/{id}/test"""
        return self.call("POST", "/api/webhooks/{id}/test", {"id": id}, {}, None)

    def get_webhook_deliveries(self, id: Any, *, status: Any = None, limit: Any = None, cursor: Any = None) -> Any:
        """Delivery log: GET /api/webhooks/{id}/deliveries"""
        return self.call("GET", "/api/webhooks/{id}/deliveries", {"id": id}, {"status": status, "limit": limit, "cursor": cursor}, None)

    def redeliver_event(self, id: Any, delivery_id: Any) -> Any:
        """Deliver an event again: POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver"""
        return self.call("POST", "/api/webhooks/{id}/deliveries/{delivery_id}/redeliver", {"id": id, "delivery_id": delivery_id}, {}, None)

    def create_ticket(self) -> Any:
        """Ticket for a WebSocket: POST /api/ws/ticket"""
        return self.call("POST", "/api/ws/ticket", {}, {}, None)

    def list_tokens(self, *, page: Any = None, limit: Any = None, offset: Any = None, cursor: Any = None, is_rug: Any = None, risk_level: Any = None, confidence_min: Any = None, confidence_max: Any = None, created_after: Any = None, created_before: Any = None, sort_by: Any = None, sort_order: Any = None) -> Any:
        """List tokens: GET /api/tokens"""
        return self.call("GET", "/api/tokens", {}, {"page": page, "limit": limit, "offset": offset, "cursor": cursor, "is_rug": is_rug, "risk_level": risk_level, "confidence_min": confidence_min, "confidence_max": confidence_max, "created_after": created_after, "created_before": created_before, "sort_by": sort_by, "sort_order": sort_order}, None)

    def get_token_verdict(self, address: Any) -> Any:
        """Token: GET /api/tokens/{address}"""
        return self.call("GET", "/api/tokens/{address}", {"address": address}, {}, None)

    def predict_token(self, address: Any, *, force: Any = ..., wait: Any = ..., language: Any = ...) -> Any:
        """Analyse a token now: POST /api/predict/{address}"""
        return self.call("POST", "/api/predict/{address}", {"address": address}, {}, {"force": force, "wait": wait, "language": language})

    def batch_tokens(self, addresses: Any, *, mode: Any = ..., force: Any = ..., wait: Any = ...) -> Any:
        """Verdicts on many tokens: POST /api/tokens/batch"""
        return self.call("POST", "/api/tokens/batch", {}, {}, {"addresses": addresses, "mode": mode, "force": force, "wait": wait})

    def get_token_history(self, address: Any, *, limit: Any = None, cursor: Any = None) -> Any:
        """Verdict history: GET /api/tokens/{address}/history"""
        return self.call("GET", "/api/tokens/{address}/history", {"address": address}, {"limit": limit, "cursor": cursor}, None)

    def get_token_locks(self, address: Any) -> Any:
        """Locks of liquidity and supply: GET /api/tokens/{address}/locks"""
        return self.call("GET", "/api/tokens/{address}/locks", {"address": address}, {}, None)

    def scan_address(self, address: Any, *, chain: Any = ..., language: Any = ...) -> Any:
        """Scan an address: POST /api/scan/address"""
        return self.call("POST", "/api/scan/address", {}, {}, {"address": address, "chain": chain, "language": language})

    def scan_tokens(self, tokens: Any, *, chain: Any = ..., language: Any = ...) -> Any:
        """Scan tokens: POST /api/scan/tokens"""
        return self.call("POST", "/api/scan/tokens", {}, {}, {"tokens": tokens, "chain": chain, "language": language})

    def search(self, q: Any, *, type: Any = None, limit: Any = None, offset: Any = None) -> Any:
        """Global search: GET /api/search"""
        return self.call("GET", "/api/search", {}, {"q": q, "type": type, "limit": limit, "offset": offset}, None)

    def search_advanced(self, *, entity: Any = ..., query: Any = ..., filters: Any = ..., sort_by: Any = ..., sort_order: Any = ..., page: Any = ..., limit: Any = ..., cursor: Any = ...) -> Any:
        """Search with filters: POST /api/search/advanced"""
        return self.call("POST", "/api/search/advanced", {}, {}, {"entity": entity, "query": query, "filters": filters, "sort_by": sort_by, "sort_order": sort_order, "page": page, "limit": limit, "cursor": cursor})

    def generate_report(self, address: Any, *, language: Any = ..., subject: Any = ..., sections: Any = ...) -> Any:
        """Written report: POST /api/reports/generate/{address}"""
        return self.call("POST", "/api/reports/generate/{address}", {"address": address}, {}, {"language": language, "subject": subject, "sections": sections})

    def get_report(self, report_id: Any, *, format: Any = None) -> Any:
        """Read a report: GET /api/reports/{report_id}"""
        return self.call("GET", "/api/reports/{report_id}", {"report_id": report_id}, {"format": format}, None)

    def add_feedback(self, address: Any, kind: Any, details: Any, *, contact: Any = ...) -> Any:
        """Dispute a verdict: POST /api/feedback"""
        return self.call("POST", "/api/feedback", {}, {}, {"address": address, "kind": kind, "details": details, "contact": contact})

    def get_feedback(self, id: Any) -> Any:
        """A disputed verdict: GET /api/feedback/{id}"""
        return self.call("GET", "/api/feedback/{id}", {"id": id}, {}, None)

    def get_usage(self) -> Any:
        """Quota and usage of this key: GET /api/usage"""
        return self.call("GET", "/api/usage", {}, {}, None)
