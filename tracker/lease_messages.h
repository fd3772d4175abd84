// What compile servers and their tracker say of leases, to and from the forms that both work with.
#pragma once
#include "schema/generated/protocol.h"
#include "tracker/client.h"

namespace hone::tracker {

protocol::LeaseWish wish_of(const LeaseRequest& request);
// session_url: of the server that wishes.
LeaseRequest request_of(const protocol::LeaseWish& wish, const std::string& session_url);
protocol::LeaseGrant grant_of(const Lease& lease);
Lease lease_of(const protocol::LeaseGrant& grant);

}  // namespace hone::tracker
