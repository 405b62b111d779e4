#pragma once

#include "rigor/stepping/contact_judge.hpp"

namespace rigor {

/// The last stage of ContactStep: what the next step needs to know, written into state.contacts, sorted by pairs of
/// shapes and features. `kin` is the new motion. Drift of contacts that stick goes into the certificate.
///
/// The candidates' pointers into the old memory end here. `memory` is storage; it holds the memory that was replaced.
void remember_contacts(const ContactDemand& demand, const Kinematics<double>& kin, ContactStep& step,
                       State& state, std::vector<ContactMemory>& memory, ContactCertificate& certificate);

}  // namespace rigor
